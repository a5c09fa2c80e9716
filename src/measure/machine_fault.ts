/** What the machine answers when it cannot do something, in words. */

const WORDS: Readonly<Record<string, string>> = {
  EACCES: "permission is denied",
  EPERM: "permission is denied",
  EROFS: "its file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file is larger than allowed here",
  ENOENT: "its folder does not exist",
  ENOTDIR: "it would lie in a file",
  EISDIR: "it is a folder",
  ENAMETOOLONG: "its name is too long",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  EPIPE: "nobody reads it any more",
  EIO: "the disk reports an error",
  ENOMEM: "there is not enough memory",
  EAGAIN: "no further process can be started",
};

interface MachineError extends Error {
  readonly code: string;
  readonly syscall: string;
  readonly path?: string;
}

/** A full disk, a folder that cannot be written: nothing in this program would mend it. */
export function isMachineFault(error: unknown): error is MachineError {
  return error instanceof Error && "syscall" in error && "code" in error && typeof error.code === "string";
}

/** The reason in words. Throws what is a fault of this program. */
export function machineFault(error: unknown): string {
  if (!isMachineFault(error)) throw error;
  return WORDS[error.code] ?? `the machine answers ${error.code}`;
}

/** One line of where and why; what has no path of its own lies in the temporary folder. */
export function machineLine(error: MachineError, scratch: string): string {
  const place = error.path ?? `the temporary folder ${scratch}`;
  const where = error.syscall.includes("spawn") ? "no program can be started" : `${place} cannot be used`;
  return `${where}: ${WORDS[error.code] ?? error.message}`;
}
