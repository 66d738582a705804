import { readFileSync } from "node:fs"
import { fsPath } from "../../bytes/byte-path.ts"
import { closeFile } from "../../storage/disk/close-file.ts"

/** Configuration files that this process has read, by path. */
const read = new Map<string, Buffer>()

/** Configuration files that the parent process has read, by path. */
const received = new Map<string, Buffer>()

const contentOf = (descriptor: number): string => {
  try {
    return readFileSync(descriptor, "utf8")
  } finally {
    closeFile(descriptor)
  }
}

/**
 * Takes over the configuration that the parent process has read. A FIFO, a pipe or standard input can be read only
 * once.
 */
export const takeOver = (descriptor: number): void => {
  const contents = JSON.parse(contentOf(descriptor)) as Readonly<Record<string, string>>
  for (const [path, content] of Object.entries(contents)) received.set(path, Buffer.from(content, "base64"))
}

/** Returns the configuration files to pass to the next process. */
export const readSoFar = (): string =>
  JSON.stringify(Object.fromEntries([...read].map(([path, content]) => [path, content.toString("base64")])))

export const isTakenOver = (path: string): boolean => received.has(path)

/** Returns the content of a configuration file, taken from the parent process if it has read it. */
export const readConfiguration = (path: string): Buffer => {
  const content = received.get(path) ?? readFileSync(fsPath(path))
  read.set(path, content)
  return content
}
