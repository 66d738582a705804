import {
  type CliSpec,
  type ModuleEventPayload,
  type ModuleEventType,
  unknownName
} from "@lockstep/protocol/module-ipc/index.ts"
import type { JsonValue } from "./json-text.ts"
import type { Migration } from "./migrations.ts"
import type { ModuleContext } from "./module-context.ts"
import type { SettingDefaults, Settings } from "./settings.ts"

type Awaitable<A> = A | Promise<A>

/** Handles events of some types, each with its own payload. */
export type EventHandlers<D extends SettingDefaults> = {
  readonly [T in ModuleEventType]?: (
    event: Extract<ModuleEventPayload, { readonly _tag: T }>,
    context: ModuleContext<D>
  ) => unknown
}

/**
 * An RPC method of the module. `overrides` replaces the node's own method, as `rpc_overrides` of the manifest allows.
 */
export interface RpcMethod<D extends SettingDefaults> {
  readonly description: string
  readonly overrides?: true
  /**
   * Handles a call. `params` are those of the request; if the method `overrides` the node's, they are always a list
   * that fits the node's method. A thrown error is the answer, with the code of an `RpcError`.
   */
  readonly call: (params: JsonValue, context: ModuleContext<D>) => Awaitable<JsonValue>
}

/** Output of a command and its exit code. */
export interface CommandResult {
  readonly stdout: string
  readonly stderr?: string
  readonly exitCode?: number
}

/** A command below the name of the module. */
export interface Command<D extends SettingDefaults> {
  readonly about: string
  readonly arguments?: CliSpec["subcommands"][number]["arguments"]
  readonly run: (args: ReadonlyArray<string>, context: ModuleContext<D>) => Awaitable<CommandResult>
}

/** Methods for other modules. Parameters and answers are bytes whose format the modules agree on. */
export interface ModuleApi<D extends SettingDefaults> {
  readonly version: number
  readonly methods: Readonly<
    Record<string, (params: Uint8Array, caller: string, context: ModuleContext<D>) => Awaitable<Uint8Array>>
  >
}

/** A module as its author writes it. */
export interface ModuleParts<D extends SettingDefaults = SettingDefaults> {
  /** The version in `module.toml`. */
  readonly version: string
  readonly settings?: D
  /**
   * Migrations of the database, from its first schema to the present one, oldest first. Those that it lacks run before
   * `setup`. Never change or remove a released one. They need `read_storage` and `write_storage`.
   */
  readonly migrations?: ReadonlyArray<Migration<D>>
  /** Called after the handshake, before the node knows methods and subscriptions. */
  readonly setup?: (context: ModuleContext<D>) => unknown
  /** Handlers of events. Use a function if the settings decide on them; it is called before `setup`. */
  readonly events?: EventHandlers<D> | ((settings: Settings<D>) => EventHandlers<D>)
  readonly rpc?: Readonly<Record<string, RpcMethod<D>>>
  readonly commands?: { readonly about: string; readonly subcommands: Readonly<Record<string, Command<D>>> }
  readonly api?: ModuleApi<D>
  /** Called after the node knows methods and subscriptions. */
  readonly ready?: (context: ModuleContext<D>) => unknown
  /** Called after the connection has ended, because the node unloads the module or stops. */
  readonly stopped?: (context: ModuleContext<D>) => unknown
}

const PARTS: Readonly<Record<keyof ModuleParts, true>> = {
  version: true,
  settings: true,
  migrations: true,
  setup: true,
  events: true,
  rpc: true,
  commands: true,
  api: true,
  ready: true,
  stopped: true
}

/**
 * Returns the fault in the names of parts, or `undefined` if each exists. A module may be built without a type check.
 */
export const unknownPart = (parts: object): string | undefined => {
  const name = Object.keys(parts).find((each) => !Object.hasOwn(PARTS, each))
  return name === undefined ? undefined : unknownName("part of a module", name, Object.keys(PARTS))
}
