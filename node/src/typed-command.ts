/** The command as an operator types it: the launcher knows how it was called, and worker threads inherit that. */
export const LOCKSTEP = process.env["LOCKSTEP_COMMAND"] ?? "lockstep"

/** A command for a message, as it can be typed: `pnpm lockstep rebuild`, with its quotes. */
export const asTyped = (command: string): string => `\`${LOCKSTEP} ${command}\``

/** The same in a file, which outlives the process that writes it: the form of the documentation. */
export const asWritten = (command: string): string => `\`pnpm lockstep ${command}\``
