import { FRONT } from "./front/front.ts"

/** The command as an operator types it: the launcher knows how it was called, and worker threads inherit that. */
export const LOCKSTEP = process.env["LOCKSTEP_COMMAND"] ?? "lockstep"

/** What does under `bitcoind` what a command of `lockstep` does. */
const CORE_COMMANDS: Readonly<Record<string, string>> = { rebuild: "bitcoind -reindex" }

/**
 * A command for a message, as it can be typed: `pnpm lockstep rebuild`, with its quotes, and `bitcoind -reindex` where
 * that program runs. `coreCommand`: what is typed there, if something smaller does as well.
 */
export const asTyped = (command: string, coreCommand = CORE_COMMANDS[command]): string =>
  FRONT === "bitcoind" && coreCommand !== undefined ? `\`${coreCommand}\`` : `\`${LOCKSTEP} ${command}\``

/** The same in a file, which outlives the process that writes it: the form of the documentation. */
export const asWritten = (command: string): string => `\`pnpm lockstep ${command}\``
