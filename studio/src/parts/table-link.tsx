import { Link } from "@tanstack/react-router";

import { tableName } from "../format/names";

interface TableLinkProps {
  name: string;
  isDynamic?: boolean;
  /** Without workspace and schema. */
  short?: boolean;
}

/** To the page of a table or dynamic table. */
export function TableLink({ name, isDynamic = true, short = true }: TableLinkProps) {
  const { workspace, schema, table } = tableName(name);
  const label = short ? table : name;
  return isDynamic ? (
    <Link
      to="/dynamic-tables/$workspace/$schema/$table"
      params={{ workspace, schema, table }}
      className="text-link"
      title={name}
    >
      {label}
    </Link>
  ) : (
    <Link
      to="/catalog/$workspace/$schema/$object"
      params={{ workspace, schema, object: table }}
      className="text-link"
      title={name}
    >
      {label}
    </Link>
  );
}

interface JobLinkProps {
  job: string;
  /** Without the time in front, which a row shows anyway. */
  short?: boolean;
}

/** Ids begin with the time: year to fraction of the second. */
const TIME_DIGITS = 18;

export function JobLink({ job, short = false }: JobLinkProps) {
  return (
    <Link to="/compute/jobs/$job" params={{ job }} className="job-link mono" title={job}>
      {short ? job.slice(TIME_DIGITS) : job}
    </Link>
  );
}
