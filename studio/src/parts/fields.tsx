/** Fields of forms: what is typed or chosen goes to the form as a value. */

import { NumberInput, Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { clustersQuery } from "../api/queries";

interface TextFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  placeholder?: string;
  disabled?: boolean;
  type?: "text" | "date";
}

export function TextField({ onChange, ...field }: TextFieldProps) {
  return <TextInput {...field} onChange={(event) => onChange(event.currentTarget.value)} />;
}

interface NumberFieldProps<Value> {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  min?: number;
  max?: number;
  placeholder?: string;
  width?: number;
}

/** A whole number. While the field is empty, the form keeps the last one. */
export function NumberField({ value, onChange, width, ...field }: NumberFieldProps<number>) {
  return (
    <NumberInput
      {...field}
      size="xs"
      w={width}
      allowDecimal={false}
      value={value}
      onChange={(typed) => typed !== "" && onChange(Math.max(field.min ?? 0, Number(typed)))}
    />
  );
}

/** A whole number, or nothing. */
export function OptionalNumberField({ value, onChange, width, ...field }: NumberFieldProps<number | null>) {
  return (
    <NumberInput
      {...field}
      size="xs"
      w={width}
      allowDecimal={false}
      value={value ?? ""}
      onChange={(typed) => onChange(typed === "" ? null : Number(typed))}
    />
  );
}

interface ChoiceFieldProps<Value extends string> {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  choices: readonly Value[] | { value: Value; label: string }[];
  disabled?: boolean;
  width?: number;
}

export function ChoiceField<Value extends string>(props: ChoiceFieldProps<Value>) {
  const { label, value, onChange, choices, disabled, width } = props;
  return (
    <Select
      label={label}
      value={value}
      disabled={disabled}
      w={width}
      data={[...choices]}
      onChange={(chosen) => chosen !== null && onChange(chosen)}
    />
  );
}

interface ClusterFieldProps {
  value: string;
  onChange: (cluster: string) => void;
  width?: number;
}

/** One of the clusters that there are; the present one remains although it was dropped. */
export function ClusterField({ value, onChange, width }: ClusterFieldProps) {
  const names = useQuery(clustersQuery).data?.map((each) => each.name) ?? [];
  const choices = names.includes(value) ? names : [...names, value];
  return <ChoiceField label="Cluster" value={value} onChange={onChange} choices={choices} width={width} />;
}
