import { readFileSync } from 'node:fs'
import { type PlayoutState, upcoming } from '@solstice/playout'
import t from 'tap'
import { readCommand } from '../commands.ts'
import { decodeChunk } from '../wire.ts'
import { createStateReader } from './reader.ts'
import { createStateWriter } from './writer.ts'

const { head, blocks } = JSON.parse(
  readFileSync(new URL('saved/version-4.json', import.meta.url), 'utf8'),
) as { head: object; blocks: Record<string, object> }

const formerNames = /"(rendition|list|filler|lastinline|suggest\w*)"/

t.test(
  'a state in blocks that version 4 wrote is read whole, and written as one of this version',
  async (t) => {
    const reader = createStateReader()
    const { missing } = reader.read(JSON.stringify(head))
    t.ok(missing.length > 0)
    let { state, missing: left } = reader.read(JSON.stringify(head))
    while (left.length > 0) {
      for (const key of left) reader.learn(key, JSON.stringify(blocks[key]))
      ;({ state, missing: left } = reader.read(JSON.stringify(head)))
    }
    t.equal(state.version, 5)
    t.ok(state.playlist.entries.length > 12)
    t.notMatch(JSON.stringify(state), formerNames)
    const asked = upcoming(state).filter(({ orderType }) => orderType === 'requested')
    t.equal(asked.length, 1)
    t.ok(upcoming(state).some(({ track }) => track.cuePoints?.endMs === 58_000))

    const changed: PlayoutState = {
      ...state,
      playlist: { ...state.playlist, index: state.playlist.index + 1 },
    }
    const written = createStateWriter(reader.known).write(changed)
    t.notMatch(written.head, formerNames)
    t.match(JSON.parse(written.head), { version: 5, blocks: { playlist: { index: changed.playlist.index } } })
  },
)

t.test('commands and stream markers of the version before are read', async (t) => {
  const fields = (command: object) =>
    ['asker', 'b', 'token', 't', 'command', JSON.stringify(command), 'until', ''].map((text) =>
      Buffer.from(text),
    )
  t.match(readCommand(fields({ type: 'renditions-changed' })), { command: { type: 'cue-points-changed' } })
  t.match(readCommand(fields({ type: 'choose-filler', socketId: 's', clipId: null })), {
    command: { type: 'choose-background', clipId: null },
  })

  const cues = [
    { frame: 7, entryId: 'f1-c', trackId: '', title: 'Just chatting', chat: { filler: { id: 'c' } } },
    { frame: 9, entryId: 'e2', trackId: 'a', title: 'A', rendition: { gainDb: -2, startMs: 0, endMs: null } },
  ]
  const about = JSON.stringify({ frame: 7, frames: 20, atMs: 0, byte: 0, cues })
  const chunk = decodeChunk(['about', about, 'audio', 'mp3'].map((text) => Buffer.from(text)))
  t.match(JSON.stringify(chunk), /"chat":\{"background":\{"id":"c"\}\}/)
  t.match(JSON.stringify(chunk), /"cuePoints":\{"gainDb":-2/)
})
