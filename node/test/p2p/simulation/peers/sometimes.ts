import type { Link } from "./link.ts"
import type { ScriptedPeer } from "./behaviour.ts"

/** Does it one time in so many on average. */
export const sometimes =
  (oneIn: number, act: (self: ScriptedPeer, link: Link) => void) => (self: ScriptedPeer, link: Link): void => {
    if (self.random.below(oneIn) === 0) act(self, link)
  }
