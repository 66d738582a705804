import { readFileSync } from "node:fs"
import { fsPath } from "../../bytes/byte-path.ts"
import { closeFile } from "../../storage/disk/close-file.ts"

/** What this process has read of its configuration, by path. */
const read = new Map<string, Buffer>()

/** What the process before this one has read of it. */
const received = new Map<string, Buffer>()

const contentOf = (descriptor: number): string => {
  try {
    return readFileSync(descriptor, "utf8")
  } finally {
    closeFile(descriptor)
  }
}

/**
 * Takes over the configuration that the process before this one has read: a FIFO, a pipe or standard input has its content
 * only once.
 */
export const takeOver = (descriptor: number): void => {
  const contents = JSON.parse(contentOf(descriptor)) as Readonly<Record<string, string>>
  for (const [path, content] of Object.entries(contents)) received.set(path, Buffer.from(content, "base64"))
}

/** What the next process is to take over. */
export const readSoFar = (): string =>
  JSON.stringify(Object.fromEntries([...read].map(([path, content]) => [path, content.toString("base64")])))

export const isTakenOver = (path: string): boolean => received.has(path)

/** The content of a file of the configuration, as it was taken over where that was done. */
export const readConfiguration = (path: string): Buffer => {
  const content = received.get(path) ?? readFileSync(fsPath(path))
  read.set(path, content)
  return content
}
