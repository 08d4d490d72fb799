import type { ReactNode } from "react";

interface CardProps {
  title: string;
  actions?: ReactNode;
  /** Without space around the contents, as for tables. */
  flush?: boolean;
  children: ReactNode;
}

export function Card({ title, actions, flush = false, children }: CardProps) {
  return (
    <section className="card" aria-label={title}>
      <div className="card-head">
        <h2>{title}</h2>
        {actions}
      </div>
      <div className={flush ? "scroll" : "card-body"} tabIndex={flush ? 0 : undefined}>
        {children}
      </div>
    </section>
  );
}

interface Fact {
  label: string;
  value: ReactNode;
  note?: ReactNode;
}

/** A row of figures. */
export function Facts({ facts }: { facts: Fact[] }) {
  return (
    <div className="facts">
      {facts.map(({ label, value, note }) => (
        <div className="fact" key={label}>
          <div className="fact-label">{label}</div>
          <div className="fact-value">{value}</div>
          {note !== undefined && <div className="fact-note">{note}</div>}
        </div>
      ))}
    </div>
  );
}

export function Pairs({ pairs }: { pairs: [string, ReactNode][] }) {
  return (
    <dl className="pairs">
      {pairs.map(([name, value], index) => (
        <div key={index} style={{ display: "contents" }}>
          <dt>{name}</dt>
          <dd>{value ?? <span className="quiet">–</span>}</dd>
        </div>
      ))}
    </dl>
  );
}
