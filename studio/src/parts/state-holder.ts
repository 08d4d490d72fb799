/** State that outlives the page that shows it. */
export class StateHolder<State> {
  private readonly listeners = new Set<() => void>();

  constructor(private state: State) {}

  get = (): State => this.state;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  protected set(part: Partial<State>): void {
    this.state = { ...this.state, ...part };
    for (const listener of this.listeners) listener();
  }
}

/** Finds the holder of a key; it is made when it is first asked for. */
export function holders<Holder>(make: () => Holder): (key: string) => Holder {
  const known = new Map<string, Holder>();
  return (key) => {
    const found = known.get(key) ?? make();
    known.set(key, found);
    return found;
  };
}
