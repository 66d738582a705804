import type { NodeConfig } from "./config.ts"

/** The payload of the event `ConfigLoaded`. */
interface ConfigLoaded {
  readonly network: NodeConfig["network"]
  readonly config_file?: string
  /** The tables with at least one key that is set in any source. */
  readonly sections: ReadonlyArray<string>
}

/** Returns the payload of the event `ConfigLoaded`. */
export const configLoaded = ({ file, network, sections = [] }: NodeConfig): ConfigLoaded => ({
  network,
  ...(file === undefined ? {} : { config_file: file }),
  sections
})
