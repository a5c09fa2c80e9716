/** Runs steps of the same name one after another, whatever becomes of each; steps of different names know nothing of each other. */
export function inTurn(): <T>(name: string, step: () => Promise<T>) => Promise<T> {
  const latest = new Map<string, Promise<unknown>>();
  return (name, step) => {
    const mine = (latest.get(name) ?? Promise.resolve()).then(step, step);
    latest.set(name, mine);
    const leave = () => {
      if (latest.get(name) === mine) latest.delete(name);
    };
    mine.then(leave, leave);
    return mine;
  };
}
