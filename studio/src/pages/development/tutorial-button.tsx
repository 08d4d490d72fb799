import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { IconSchool } from "@tabler/icons-react";

import { files, filesQuery } from "../../api/files";
import { BusyButton } from "../../parts/busy-button";
import { capital } from "../../parts/error-notice";

/** Creates the tutorial's folder and opens its first step. */
export function TutorialButton({ open }: { open: (id: string) => void }) {
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: async () => {
      const folder = await files.createTutorial();
      await queries.invalidateQueries({ queryKey: ["files"] });
      const all = await queries.query(filesQuery);
      return all
        .filter((file) => file.folder_id === folder.id)
        .sort((a, b) => a.name.localeCompare(b.name))[0];
    },
    onSuccess: (first) => {
      if (first !== undefined) open(first.id);
    },
    onError: (error) => notifications.show({ message: capital(error.message), color: "red" }),
  });
  return (
    <BusyButton
      variant="light"
      leftSection={<IconSchool size={15} />}
      busy={create.isPending}
      doing="Creating the tutorial"
      onClick={() => create.mutate()}
    >
      Create the tutorial
    </BusyButton>
  );
}
