import { FRONT } from "./front/front.ts"

/** The command as an operator types it. The launcher passes on how it was called, and worker threads inherit that. */
export const LOCKSTEP = process.env["LOCKSTEP_COMMAND"] ?? "lockstep"

/** The `bitcoind` counterparts of `lockstep` commands. */
const CORE_COMMANDS: Readonly<Record<string, string>> = { rebuild: "bitcoind -reindex" }

/**
 * Formats a command as it can be typed: `pnpm lockstep rebuild`, with its quotes, and `bitcoind -reindex` if that
 * program runs. `coreCommand` replaces the command there, if a smaller one suffices.
 */
export const asTyped = (command: string, coreCommand = CORE_COMMANDS[command]): string =>
  FRONT === "bitcoind" && coreCommand !== undefined ? `\`${coreCommand}\`` : `\`${LOCKSTEP} ${command}\``

/** Formats a command in the form of the documentation, for files that outlive the process. */
export const asWritten = (command: string): string => `\`pnpm lockstep ${command}\``
