import type { PlayoutState } from '@solstice/playout'
import { type OutboxEntry, withBreaks } from '@solstice/station'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { answered } from '../../redis/connection.ts'
import { readScript } from '../../redis/script.ts'
import type { FencedLine } from '../lease/fenced-line.ts'
import { keys } from '../wire.ts'
import type { KnownBlocks } from './blocks.ts'
import { createStateWriter, type WrittenState } from './writer.ts'

const ADD_BLOCKS = readScript(new URL('./add-blocks.lua', import.meta.url))
const SAVE = readScript(new URL('./save.lua', import.meta.url))

/** Blocks per write, in characters: a list that is made anew must not keep Redis from the sound. */
const MAX_WRITTEN_AT_ONCE = 1_000_000
/** New blocks published with a state, in characters. Followers read larger ones from Redis. */
const MAX_PUBLISHED = 64 * 1024
/** Returned instead of a number of blocks. */
const GIVEN_UP = -1

/** Saves states in Redis under a lease. */
export interface StateSaver {
  /** Goes on from the blocks that are in Redis. */
  adopt(known: KnownBlocks | undefined): void
  /** @throws when the lease is lost */
  save(state: PlayoutState, due: readonly OutboxEntry[]): Promise<void>
}

export function createStateSaver(redis: Redis, line: FencedLine, log: Logger): StateSaver {
  const { keeper } = line
  let writer = createStateWriter()
  /** Redis holds the blocks of the last state and no others, as far as is known. */
  let isTidy = false

  /** @returns whether all blocks that the state needs are there, and no others. */
  const saveOnce = async (state: PlayoutState, due: readonly OutboxEntry[]): Promise<boolean> => {
    const { head, added, removed, keys: needed } = await withBreaks(writer.writeInPieces(state))
    const present = isTidy ? [] : await line.repeat(() => answered(redis, redis.hkeys(keys.blocks)))
    const strays = present.filter((key) => !needed.has(key))
    const blocks = await addBeforehand(line, added)
    const size = [...added.values()].reduce((sum, text) => sum + text.length, 0)
    const how = size <= MAX_PUBLISHED ? 'told' : 'untold'
    const args = [head, JSON.stringify(due), how, blocks.length / 2, ...blocks, ...removed, ...strays]
    const commands = due.flatMap((entry) => (entry.type === 'answer' ? keys.givenUp(entry.asker.token) : []))
    const places = [keys.air, keys.blocks, ...commands]
    const blockCount = await line.write(keys.air, async (line, id) => {
      const saved = await line.eval(SAVE, places.length, ...places, id, ...args)
      // The next holder goes on from the state before the command.
      if (saved === GIVEN_UP) keeper.lose('the sender of a command gave up before it was saved')
      keeper.lost.throwIfAborted()
      return saved
    })
    return blockCount === null || blockCount === needed.size
  }

  return {
    adopt(known) {
      writer = createStateWriter(known)
    },
    async save(state, due) {
      try {
        isTidy = await saveOnce(state, due)
      } catch (error) {
        isTidy = false
        writer = createStateWriter()
        throw error
      }
      if (isTidy) return
      log.warn({ fencingToken: line.keeper.fencingToken }, 'state blocks lost; written again')
      writer = createStateWriter()
      isTidy = await saveOnce(state, due)
    },
  }
}

/** Adds the blocks that are too large for one write. @returns keys and texts of those left for it. */
async function addBeforehand(line: FencedLine, added: WrittenState['added']): Promise<string[]> {
  const { keeper } = line
  let piece: string[] = []
  let size = 0
  const add = async () => {
    const isAdded = await line.ask((line) =>
      line.eval(ADD_BLOCKS, 2, keys.lease, keys.blocks, keeper.holder, ...piece),
    )
    if (isAdded === null) keeper.lose('held by another worker')
    keeper.lost.throwIfAborted()
  }
  for (const block of added) {
    if (size > MAX_WRITTEN_AT_ONCE) {
      await line.repeat(add)
      piece = []
      size = 0
    }
    piece.push(...block)
    size += block[1].length
  }
  return piece
}
