import type { NodeFile } from "./node-file.ts"
import type { OPTION_KEYS } from "./option-keys.ts"
import type * as Schema from "effect/Schema"

/** All settings from all sources. */
export type Settings = NodeFile & Schema.Struct.Type<typeof OPTION_KEYS>

/** The type of the value at a key such as `storage.dbcache_mb`; `never` for an unknown key. */
export type ValueAt<T, Name extends string> = Name extends `${infer Table}.${infer Rest}`
  ? Table extends keyof T ? ValueAt<NonNullable<T[Table]>, Rest> : never
  : Name extends keyof T ? NonNullable<T[Name]>
  : never
