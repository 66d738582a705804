/** Manifests of modules: fields, version requirements, signed bytes and the order of loading. */
export { type FoundModule, type LoadPlan, loadPlan, type NodeVersions, type Pin } from "./load-order.ts"
export type { Dependency, MaintainerSignature, Manifest, ManifestBinary, ManifestFault, Threshold } from "./manifest.ts"
export { NODE_NAMES } from "./field-checks.ts"
export { manifestFaultText } from "./manifest.ts"
export {
  type NetworkPlace,
  networkPlaceOf,
  type NetworkTarget,
  networkTargetOf,
  placeOfTarget
} from "./network-place.ts"
export { readManifest } from "./read-manifest.ts"
export { compareVersions, type SemanticVersion, semanticVersionOf } from "./semantic-version.ts"
export { signatureFault, type SignaturePolicy } from "./signature-fault.ts"
export { signedFileBytes, signedManifestBytes } from "./signed-bytes.ts"
export { meets, type VersionRequirement, versionRequirementOf } from "./version-requirement.ts"
