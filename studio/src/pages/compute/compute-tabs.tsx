import { Tabs } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";

/** Clusters and Job History are two pages. */
export function ComputeTabs({ current }: { current: "clusters" | "jobs" }) {
  const navigate = useNavigate();
  return (
    <Tabs
      value={current}
      mb="md"
      onChange={(value) => void navigate({ to: value === "jobs" ? "/compute/jobs" : "/compute" })}
    >
      <Tabs.List>
        <Tabs.Tab value="clusters">Clusters</Tabs.Tab>
        <Tabs.Tab value="jobs">Job History</Tabs.Tab>
      </Tabs.List>
    </Tabs>
  );
}
