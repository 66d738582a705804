import type { AvailableProvider } from "@lockstep/crypto/provider.ts"
import { describeProvider, describeSelectionError, detectProviders, selectProvider } from "@lockstep/crypto/select.ts"
import { UsageError } from "./usage-error.ts"
import { print } from "./print.ts"

const available = (): ReadonlyArray<AvailableProvider> => {
  const providers = detectProviders()
  for (const provider of providers) if (!provider.available) print(`${describeProvider(provider)}; it is left out.`)
  return providers.filter((provider) => provider.available)
}

/** The providers to run on: the one asked for, the fastest, or all that work here. */
export const providersFor = (wanted: string | undefined): ReadonlyArray<AvailableProvider> => {
  if (wanted === "all") return available()
  const selection = selectProvider(wanted)
  if (!selection.ok) throw new UsageError(describeSelectionError(selection.error))
  return [selection.provider]
}
