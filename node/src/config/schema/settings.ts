import type { NodeFile } from "./node-file.ts"
import type { OPTION_KEYS } from "./option-keys.ts"
import type * as Schema from "effect/Schema"

/** All that can be set, from wherever it comes. */
export type Settings = NodeFile & Schema.Struct.Type<typeof OPTION_KEYS>

/** The type of the value at `storage.dbcache_mb` and the like; `never` when there is no such key. */
export type ValueAt<T, Name extends string> = Name extends `${infer Table}.${infer Rest}`
  ? Table extends keyof T ? ValueAt<NonNullable<T[Table]>, Rest> : never
  : Name extends keyof T ? NonNullable<T[Name]>
  : never
