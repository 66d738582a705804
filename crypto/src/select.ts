import { nobleCrypto } from "@lockstep/kernel/noble"
import { libsecp256k1Provider } from "./libsecp256k1.ts"
import { prebuiltProvider } from "./prebuilt.ts"
import { type AvailableProvider, type Provider, PROVIDER_NAMES, type ProviderName } from "./provider.ts"

/** The kernel's portable provider: always available. The other providers are compared with it. */
const referenceProvider = (): AvailableProvider => ({
  name: "noble",
  available: true,
  detail: "pure JavaScript",
  crypto: nobleCrypto
})

/** How each provider is looked for on this machine. */
export type Detectors = Readonly<Record<ProviderName, () => Provider>>

const DETECTORS: Detectors = {
  libsecp256k1: () => libsecp256k1Provider(),
  prebuilt: () => prebuiltProvider(),
  noble: referenceProvider
}

/** Why the provider that was asked for by name cannot be had. */
export type SelectionError =
  | { readonly _tag: "UnknownProvider"; readonly wanted: string; readonly valid: ReadonlyArray<string> }
  | {
    readonly _tag: "UnavailableProvider"
    readonly wanted: ProviderName
    readonly reason: string
    readonly valid: ReadonlyArray<string>
  }

export type Selection =
  | { readonly ok: true; readonly provider: AvailableProvider }
  | { readonly ok: false; readonly error: SelectionError }

/** Every provider in the order of preference, with what it runs on or why it is missing. */
export const detectProviders = (detectors: Detectors = DETECTORS): ReadonlyArray<Provider> =>
  PROVIDER_NAMES.map((name) => detectors[name]())

const isProviderName = (name: string): name is ProviderName => (PROVIDER_NAMES as ReadonlyArray<string>).includes(name)

const fastest = (detectors: Detectors): AvailableProvider => {
  for (const name of PROVIDER_NAMES) {
    const provider = detectors[name]()
    if (provider.available) return provider
  }
  return referenceProvider()
}

/** The provider called `wanted`, or without a name the fastest there is. */
export const selectProvider = (wanted?: string, detectors: Detectors = DETECTORS): Selection => {
  if (wanted === undefined) return { ok: true, provider: fastest(detectors) }
  if (!isProviderName(wanted)) return { ok: false, error: { _tag: "UnknownProvider", wanted, valid: PROVIDER_NAMES } }
  const provider = detectors[wanted]()
  if (provider.available) return { ok: true, provider }
  const valid = detectProviders(detectors).filter((each) => each.available).map((each) => each.name)
  return { ok: false, error: { _tag: "UnavailableProvider", wanted, reason: provider.reason, valid } }
}

/** One line for a log. */
export const describeProvider = (provider: Provider): string =>
  provider.available ? `${provider.name} (${provider.detail})` : `${provider.name} is unavailable: ${provider.reason}`

/** One line for the operator. */
export const describeSelectionError = (error: SelectionError): string => {
  const valid = error.valid.join(", ")
  return error._tag === "UnknownProvider"
    ? `there is no crypto provider called "${error.wanted}"; choose one of ${valid}`
    : `the crypto provider ${error.wanted} is unavailable: ${error.reason}; available here: ${valid}`
}
