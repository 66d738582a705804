import type { RequestFields } from "../client/node-client.ts"
import type { ModuleContext } from "./module-context.ts"
import type { SettingDefaults } from "./settings.ts"

/** Entries that are written to and removed from the module's database in one batch. */
export type StorageChanges = Partial<RequestFields<"WriteStorage">>

/** One step from an older schema of the module's database to the next. */
export interface Migration<D extends SettingDefaults = SettingDefaults> {
  /** Description of the change, for the log. */
  readonly about: string
  /**
   * Returns the changes. They are written together with the record that the migration has run, so it runs once. A
   * migration with more changes than fit a request writes them itself, and restarts from its beginning if the module
   * ends before.
   */
  readonly run: (context: ModuleContext<D>) => StorageChanges | void | Promise<StorageChanges | void>
}

/** Key of the number of completed migrations. */
export const MIGRATIONS_KEY: Uint8Array = new TextEncoder().encode("sdk.migrations")

const numberIn = (value: Uint8Array | undefined): number => {
  if (value === undefined) return 0
  const number = Number(new TextDecoder().decode(value))
  if (!Number.isSafeInteger(number) || number < 0) throw new Error("the number of migrations in the database is none")
  return number
}

/** Runs the migrations that the database lacks, in order. Throws if it has run more than are listed. */
export const migrate = async <D extends SettingDefaults>(
  migrations: ReadonlyArray<Migration<D>>,
  context: ModuleContext<D>
): Promise<void> => {
  const { node } = context
  const { value: [stored] } = await node.ask("ReadStorage", { keys: [MIGRATIONS_KEY] })
  const done = numberIn(stored)
  if (done > migrations.length) {
    throw new Error(
      `the database has seen ${done} migrations, and this program knows ${migrations.length}: install the later version again`
    )
  }
  for (const [i, { about, run }] of [...migrations.entries()].slice(done)) {
    node.log("Info", `migration ${i + 1}: ${about}`)
    const { puts = [], removals = [] } = (await run(context)) ?? {}
    const value = new TextEncoder().encode(String(i + 1))
    await node.ask("WriteStorage", { puts: [...puts, { key: MIGRATIONS_KEY, value }], removals })
  }
}
