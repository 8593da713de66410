import type { IncomingMessage } from 'node:http'
import { pino } from 'pino'
import t from 'tap'
import { requestLogger } from '../http/request-log.ts'
import { createJoinLog } from './join-log.ts'

const request = (address: string) =>
  ({
    method: 'GET',
    url: '/api/stream/public.mp3',
    headers: {},
    socket: { remoteAddress: address },
  }) as unknown as IncomingMessage

t.test('listeners who join are logged one by one, a crowd by its number', async (t) => {
  const lines: Record<string, unknown>[] = []
  let nowMs = 0
  const log = requestLogger(pino({}, { write: (line) => void lines.push(JSON.parse(line)) }), 0)
  const joins = createJoinLog(log, () => nowMs)
  for (let i = 0; i < 50; i++) joins.joined(request(`192.0.2.${i}`), `request-${i}`)
  t.equal(lines.length, 20)
  t.match(lines[0], {
    msg: 'stream listener joined',
    reqId: 'request-0',
    req: { method: 'GET', url: '/api/stream/public.mp3', address: '192.0.2.0' },
  })
  nowMs = 1_000
  joins.joined(request('192.0.2.99'), 'request-99')
  t.match(lines.slice(20), [
    { msg: 'more stream listeners joined', listeners: 30 },
    { msg: 'stream listener joined', req: { address: '192.0.2.99' } },
  ])
  joins.flush()
  t.equal(lines.length, 22, 'nothing is left to tell')
})
