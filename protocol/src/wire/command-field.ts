/** Bytes of the command in a frame header. */
export const COMMAND_SIZE = 12

const isPrintable = (byte: number): boolean => byte >= 0x20 && byte <= 0x7e

/**
 * Returns the name in a command field: printable ASCII, then zeros to the end. Any other field is invalid and has no
 * name. Elsewhere, bytes after a zero, and reading past the end of a field without a zero, have each been taken for
 * another command.
 */
export const commandOf = (field: Uint8Array): string | undefined => {
  let length = 0
  while (length < COMMAND_SIZE && field[length] !== 0) length++
  for (let i = 0; i < COMMAND_SIZE; i++) {
    const byte = field[i]!
    if (i < length ? !isPrintable(byte) : byte !== 0) return undefined
  }
  return String.fromCharCode(...field.subarray(0, length))
}

/** Encodes the field of a command. Precondition: at most twelve characters of ASCII. */
export const commandField = (command: string): Uint8Array => {
  const field = new Uint8Array(COMMAND_SIZE)
  for (let i = 0; i < command.length && i < COMMAND_SIZE; i++) field[i] = command.charCodeAt(i)
  return field
}

/** Returns the readable characters of a command field, valid or not: up to the first zero, harmless ones only. */
export const readableCommand = (field: Uint8Array): string =>
  String.fromCharCode(...field).split("\0", 1)[0]!.replaceAll(/[^A-Za-z0-9 .,;\-_/:?@()]/g, "")
