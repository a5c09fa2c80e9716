/**
 * A part of the program that is loaded when it is first needed, and then kept. A load that failed, for want of a file descriptor say, is
 * tried again by whoever needs it next.
 */
export function onceLoaded<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}
