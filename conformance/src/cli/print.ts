/** Writes a line, or several, to standard output. */
export const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

/** Writes a line, or several, to standard error. */
export const printError = (text: string): void => {
  process.stderr.write(`${text}\n`)
}
