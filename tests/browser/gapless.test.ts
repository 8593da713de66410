import t, { type Test } from 'tap'
import { decode } from '../harness/audio/audio.ts'
import { prepare, visit } from '../harness/browser/browser.ts'
import { piecesOf, RECORDABLE, record, SAMPLES_PER_S } from '../harness/browser/recorded.ts'
import { haveSegments, visitOnIphone } from '../harness/browser/segments.ts'
import { startRefusingProxy } from '../harness/servers/refusing-proxy.ts'
import { followBroadcast } from '../harness/stations/station.ts'

/** Its pitch tells each moment from every other. */
const RISING = { name: 'Flood', hz: 300, rise: 20, seconds: 480 }
/** Two segments of 6 s begin in so long, or three. */
const RECORDED_S = 16

t.test('segments are played to the sample, without a gap between them', async (t) => {
  const station = await prepare(t, { STREAM_MODE: 'true', STREAM_MOUNTS: 'mp3:128,aac:64' }, [RISING])
  await station.startWorker()
  const { url } = await station.startApi()
  const mp3 = await followBroadcast(t, station)
  const aac = await followBroadcast(t, station, 'aac-64')
  await haveSegments(url)
  const proxy = await startRefusingProxy(t, url, url)
  proxy.refuse(/^\/api\/stream\b/)

  const assertWhole = async (t: Test, mount: typeof mp3, codec: 'mp3' | 'aac', open: typeof visit) => {
    const { page } = await open(t, `${proxy.url}/en/`, RECORDABLE)
    await page.locator('.listen').click()
    await page.locator('.horizon[data-sound=playing]').waitFor()
    const recording = await (await record(page)).samples(RECORDED_S)
    await page.close()
    const heard = Buffer.concat(mount.chunks.map(({ audio }) => audio))
    const pieces = piecesOf(recording, await decode(heard, codec))
    const longestS = Math.max(0, ...pieces.map(({ length }) => length)) / SAMPLES_PER_S
    t.comment(`${pieces.length} pieces, the longest of ${longestS.toFixed(1)} s`)
    if (mount.machine.isQuick(t)) t.equal(pieces.length, 1, JSON.stringify(pieces))
    t.ok(longestS > 6, 'over the end of a segment')
  }
  await t.test('by hls.js', (t) => assertWhole(t, mp3, 'mp3', visit))
  await t.test('by Chromium itself', (t) => assertWhole(t, aac, 'aac', visitOnIphone))
})
