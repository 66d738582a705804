import { StorageError } from "../storage-error.ts"
import type { FileKind } from "./file-names.ts"
import { asTyped } from "../../typed-command.ts"

/** Advice to the operator about a block or undo file that cannot be read. */
const REMEDIES = {
  own: `Restore the file from a backup, or run ${
    asTyped("rebuild")
  }: blocks that can still be read are used, others are fetched again.`,
  core: `It belongs to Bitcoin Core: repair it there, or run ${asTyped("rebuild")} without its directory.`
}

/** Makes the error for a file with invalid bytes; `problem` completes "<path> …". */
export const fileFault = (
  kind: FileKind,
  path: string,
  operation: string,
  problem: string,
  isCore: boolean
): StorageError =>
  new StorageError({
    part: kind === "blk" ? "block-files" : "undo-files",
    operation,
    reason: "corrupt",
    path,
    message: `${path} ${problem}. ${isCore ? REMEDIES.core : REMEDIES.own}`
  })
