import { LIFECYCLE_ATTACKS } from "./hostile-lifecycle.ts"
import type { HostileModule } from "./hostile-module.ts"
import { SYSTEM_ATTACKS } from "./hostile-system.ts"
import { WIRE_ATTACKS } from "./hostile-wire.ts"

/** Every module that means harm. */
export const ATTACKS: ReadonlyArray<HostileModule> = [...SYSTEM_ATTACKS, ...WIRE_ATTACKS, ...LIFECYCLE_ATTACKS]
