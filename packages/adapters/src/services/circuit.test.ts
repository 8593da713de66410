import type { RequestListener } from 'node:http'
import t from 'tap'
import { serve } from '../../../../tests/harness/servers/serve.ts'
import { createMetrics } from '../process/metrics.ts'
import { createCircuit, openCircuits } from './circuit.ts'

const LIMITS = { timeMs: 500, maxBytes: 1_000 }
const well: RequestListener = (_, response) => response.end('well')
const down: RequestListener = (_, response) => response.writeHead(503).end()

t.test('a service that is down is left alone for longer and longer, and tried by one request', async (t) => {
  let [answer, asked, nowMs] = [down, 0, 0]
  const url = await serve(t, (request, response) => {
    asked++
    answer(request, response)
  })
  const circuit = createCircuit('the service', () => nowMs)
  const ask = () => circuit.fetch(url, {}, LIMITS)
  for (let i = 0; i < 4; i++) t.equal((await ask()).status, 503)
  answer = well
  t.equal(await (await ask()).text(), 'well')
  answer = down
  for (let i = 0; i < 5; i++) t.equal((await ask()).status, 503, 'those before the success do not count')
  for (const pauseMs of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
    t.equal(circuit.pauseMs, pauseMs)
    asked = 0
    nowMs += pauseMs - 1
    await t.rejects(ask(), /asked again later/)
    t.equal(asked, 0, 'it is not asked')
    nowMs++
    const [trial, ...others] = await Promise.allSettled([ask(), ask(), ask()])
    t.match(trial, { status: 'fulfilled', value: { status: 503 } })
    for (const other of others) t.match(other, { status: 'rejected' }, 'nobody waits for the one that tries')
    t.equal(asked, 1)
  }
  answer = well
  nowMs += 60_000
  t.equal((await ask()).status, 200)
  t.equal(circuit.pauseMs, 0)
  await Promise.all([ask(), ask()])
})

t.test('a service that hangs, or answers half, is down; one that refuses a request is not', async (t) => {
  const answers: RequestListener[] = [
    () => {},
    (_, response) => {
      response.writeHead(200, { 'content-length': 100 })
      response.write('half')
    },
    (_, response) => response.destroy(),
  ]
  for (const answer of answers) {
    const circuit = createCircuit('the service')
    const url = await serve(t, answer)
    for (let i = 0; i < 5; i++) await t.rejects(circuit.fetch(url, {}, { ...LIMITS, timeMs: 50 }))
    t.ok(circuit.pauseMs > 4_000)
  }
  const circuit = createCircuit('the service')
  const url = await serve(t, (_, response) => response.writeHead(404).end('nothing'))
  for (let i = 0; i < 6; i++) t.equal(await (await circuit.fetch(url, {}, LIMITS)).text(), 'nothing')
  t.equal(circuit.pauseMs, 0)
})

t.test('a metric names the services that are left alone', async (t) => {
  const metrics = createMetrics()
  const { open } = openCircuits(metrics)
  const url = await serve(t, down)
  const [circuit] = [open('one'), open('other')]
  for (let i = 0; i < 5; i++) await circuit!.fetch(url, {}, LIMITS)
  const report = Buffer.from(await metrics.report()).toString()
  t.match(report, 'solstice_service_left_alone{service="one"} 1')
  t.match(report, 'solstice_service_left_alone{service="other"} 0')
})
