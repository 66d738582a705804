import type { Behaviour } from "./behaviour.ts"
import { confusing, invalidBlocks, mutating, onInvalid, rootless, withholding } from "./block-liars.ts"
import {
  addressFlood,
  blockInventoryFlood,
  excessive,
  inventoryFlood,
  requestFlood,
  transactionFlood
} from "./floods.ts"
import { babbling, forward, noise, rude } from "./garbage.ts"
import { fromTheFuture, repeating, tooOld, unconnected, withLittleWork, withoutWork } from "./header-liars.ts"
import { flaky, forgetful, honest, mute, silent, stalling } from "./idlers.ts"
import type { RoleName } from "./role-name.ts"

interface Role {
  readonly behaviour: () => Behaviour
  /** Whether it does what no honest node does, so that its address may be discouraged. */
  readonly isGuilty?: boolean
}

/** Every part that a scripted peer can play. */
export const ROLES: Readonly<Record<RoleName, Role>> = {
  honest: { behaviour: () => honest },
  flaky: { behaviour: () => flaky },
  mute: { behaviour: () => mute },
  silent: { behaviour: () => silent },
  stalling: { behaviour: () => stalling },
  forgetful: { behaviour: () => forgetful },
  "from the future": { behaviour: () => fromTheFuture },
  repeating: { behaviour: () => repeating },
  "with little work": { behaviour: () => withLittleWork },
  confusing: { behaviour: () => confusing },
  withholding: { behaviour: withholding },
  "inventory flood": { behaviour: () => inventoryFlood },
  "block inventory flood": { behaviour: () => blockInventoryFlood },
  "address flood": { behaviour: () => addressFlood },
  "request flood": { behaviour: () => requestFlood },
  "transaction flood": { behaviour: () => transactionFlood },
  noise: { behaviour: () => noise },
  rude: { behaviour: () => rude },
  forward: { behaviour: () => forward },
  babbling: { behaviour: () => babbling, isGuilty: true },
  excessive: { behaviour: () => excessive, isGuilty: true },
  "without work": { behaviour: () => withoutWork, isGuilty: true },
  unconnected: { behaviour: () => unconnected, isGuilty: true },
  "too old": { behaviour: () => tooOld, isGuilty: true },
  "invalid blocks": { behaviour: invalidBlocks, isGuilty: true },
  "on invalid": { behaviour: () => onInvalid, isGuilty: true },
  mutating: { behaviour: mutating, isGuilty: true },
  rootless: { behaviour: () => rootless, isGuilty: true }
}

export const isGuilty = (name: RoleName): boolean => ROLES[name].isGuilty === true

/** All but those that do nothing wrong. */
export const BAD_ROLES = (Object.keys(ROLES) as Array<RoleName>).filter((name) => name !== "honest" && name !== "flaky")
