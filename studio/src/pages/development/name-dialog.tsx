import { Button, Group, Modal, TextInput } from "@mantine/core";
import { type SyntheticEvent, useState } from "react";

export interface NameAsked {
  title: string;
  name: string;
  submit: (name: string) => void;
}

export function NameDialog({ asked, close }: { asked: NameAsked | null; close: () => void }) {
  return (
    <Modal opened={asked !== null} onClose={close} title={asked?.title ?? ""} size="sm">
      {asked !== null && <NameForm key={asked.title} asked={asked} close={close} />}
    </Modal>
  );
}

function NameForm({ asked, close }: { asked: NameAsked; close: () => void }) {
  const [name, setName] = useState(asked.name);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    asked.submit(name.trim());
    close();
  };
  return (
    <form onSubmit={submit}>
      <TextInput
        label="Name"
        size="sm"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        data-autofocus
      />
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={close}>
          Close
        </Button>
        <Button type="submit" disabled={name.trim() === ""}>
          {asked.name === "" ? "Create" : "Rename"}
        </Button>
      </Group>
    </form>
  );
}
