export {
  type AvailableProvider,
  type Provider,
  PROVIDER_NAMES,
  type ProviderName,
  type UnavailableProvider
} from "./provider.ts"
export {
  describeProvider,
  describeSelectionError,
  detectProviders,
  type Selection,
  type SelectionError,
  selectProvider
} from "./select.ts"
