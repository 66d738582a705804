const FUTURE =
  "The block database contains a block which appears to be from the future. This may be due to your computer's date and time being set incorrectly. Only rebuild the block database if you are sure that your computer's date and time are correct"

const RECOVER = ".\nPlease restart with -reindex or -reindex-chainstate to recover."

/** Whether a failure is one about the chain's data, before which Bitcoin Core puts no `Error: `. */
export const isQuestion = (text: string): boolean => text.endsWith(RECOVER)

/** Bitcoin Core's words for what can end a start, where it has some; others keep their own. */
export const coreFailureText = (message: string): string => {
  const place = /^cannot listen for other nodes on (\S+): /.exec(message)?.[1]
  if (message.startsWith("cannot listen for RPC")) {
    return "Unable to start HTTP server. See debug log for details."
  }
  if (place !== undefined) {
    return `Unable to bind to ${place} on this computer. Bitcoin Core is probably already running.`
  }
  if (message.startsWith("The block database contains a block which appears to be from the future")) {
    return FUTURE + RECOVER
  }
  const [, key, path] =
    /^The key (\w+) of (.*), which block files were written with, cannot be disabled/.exec(message) ?? []
  if (key !== undefined) {
    return `Failed to initialize ChainstateManager: The blocksdir XOR-key can not be disabled when a random key was already stored! Stored key: '${key}', stored path: '${path}'.`
  }
  const locked = /^The data directory (.*) is used by another node/.exec(message)?.[1]
  return locked === undefined
    ? message
    : `Cannot obtain a lock on directory ${locked}. Bitcoin Core is probably already running.`
}
