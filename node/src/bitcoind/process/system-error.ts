/** The system's words for what goes wrong with files, which differ from those of libuv. */
const WORDS: Readonly<Record<string, string>> = {
  EPERM: "Operation not permitted",
  ENOENT: "No such file or directory",
  EIO: "Input/output error",
  EACCES: "Permission denied",
  ENOTDIR: "Not a directory",
  EISDIR: "Is a directory",
  EMFILE: "Too many open files",
  ENOSPC: "No space left on device",
  EROFS: "Read-only file system",
  ENAMETOOLONG: "File name too long",
  ELOOP: "Too many levels of symbolic links",
  EDQUOT: "Disk quota exceeded"
}

/** What went wrong in the system's words; an error that it has none for is named as Node.js does. */
export const systemErrorWords = (error: NodeJS.ErrnoException): string => WORDS[error.code ?? ""] ?? error.message

/** An error of the system as Bitcoin Core shows it, with its number; any other as it is. */
export const systemErrorText = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { code = "", errno, message } = error as NodeJS.ErrnoException
  const words = WORDS[code]
  return words === undefined || errno === undefined ? message : `${words} (${Math.abs(errno)})`
}
