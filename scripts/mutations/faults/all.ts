import type { Mutation } from '../mutation.ts'
import { accessMutations } from './access.ts'
import { airMutations } from './air.ts'
import { aircheckMutations } from './aircheck.ts'
import { boundsMutations } from './bounds.ts'
import { clockMutations } from './clock.ts'
import { donatedMutations, moneyMutations } from './money.ts'
import { monitorMutations } from './monitor.ts'
import { deskMutations, panelMutations, panelRouteMutations } from './panel.ts'
import { playoutMutations } from './playout.ts'
import { soundMutations } from './sound.ts'
import { storeMutations } from './stores.ts'
import { streamMutations } from './stream.ts'

export const allMutations: Mutation[] = [
  ...playoutMutations,
  ...soundMutations,
  ...streamMutations,
  ...aircheckMutations,
  ...storeMutations,
  ...accessMutations,
  ...boundsMutations,
  ...airMutations,
  ...moneyMutations,
  ...donatedMutations,
  ...clockMutations,
  ...monitorMutations,
  ...deskMutations,
  ...panelMutations,
  ...panelRouteMutations,
]
