import { accessSync, constants, statSync } from "node:fs"
import { dirname } from "node:path"
import { fsPath } from "../../bytes/byte-path.ts"
import { anySettingName, settingName } from "../../front/setting-name.ts"
import type { NodeConfig } from "../config.ts"

const isDirectory = (path: string): boolean | undefined => {
  try {
    return statSync(fsPath(path)).isDirectory()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === "ENOENT" || code === "ENOTDIR" ? undefined : false
  }
}

const isWritable = (path: string): boolean => {
  try {
    accessSync(fsPath(path), constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Describes a directory that the node would have to create and cannot. */
const problemOfNew = (key: string, path: string): ReadonlyArray<string> => {
  let at = path
  while (isDirectory(at) === undefined && dirname(at) !== at) at = dirname(at)
  if (isDirectory(at) !== true) return [`${key}: ${at} is not a directory; choose another path`]
  return isWritable(at) ? [] : [`${key}: this user may not write in ${at}; choose another path, or change its owner`]
}

/** Describes problems that a start would find with the configured directories. Writes nothing. */
export const placeProblems = ({ dataDirectory, storage: { coreBlocks } }: NodeConfig): ReadonlyArray<string> => [
  ...problemOfNew(settingName("[storage].data_dir"), dataDirectory),
  ...coreBlocks === undefined || isDirectory(coreBlocks) === true
    ? []
    : [
      `${
        anySettingName("[storage].core_blocks_dir")
      }: ${coreBlocks} is not a directory; name the blocks directory of Bitcoin Core, or leave the key out`
    ]
]
