import type { RequestFields } from "../client/node-client.ts"
import type { ModuleContext } from "./module-context.ts"
import type { SettingDefaults } from "./settings.ts"

/** What is put into the module's database and removed from it, in one batch. */
export type StorageChanges = Partial<RequestFields<"WriteStorage">>

/** One step from an older form of the module's database to the next. */
export interface Migration<D extends SettingDefaults = SettingDefaults> {
  /** What it changes, for the log. */
  readonly about: string
  /**
   * Answers the changes, which are written together with the note that it has run: so it runs once. One that has more to write than fits a
   * request writes itself, and runs again from its beginning where the module ends before it does.
   */
  readonly run: (context: ModuleContext<D>) => StorageChanges | void | Promise<StorageChanges | void>
}

/** The key of the number of migrations that have run. */
export const MIGRATIONS_KEY: Uint8Array = new TextEncoder().encode("sdk.migrations")

const numberIn = (value: Uint8Array | undefined): number => {
  if (value === undefined) return 0
  const number = Number(new TextDecoder().decode(value))
  if (!Number.isSafeInteger(number) || number < 0) throw new Error("the number of migrations in the database is none")
  return number
}

/** Runs those migrations that the database has not seen, in order. Throws where it has seen more than there are. */
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
