import t from 'tap'
import { inForm } from '../harness/long-form.ts'
import type { Process } from '../harness/processes/processes.ts'
import { startFaultyReplica } from '../harness/servers/faulty-replica.ts'
import { prepareStation } from '../harness/stations/station.ts'
import { until } from '../harness/until.ts'

const isLong = inForm({ short: false, long: true })
const song = { name: 'Long', hz: 440, seconds: 300, isMono: true }

const timesListening = ({ output }: Process) => output.split('monitor listening').length - 1

t.test('of two monitors one listens, the other takes over, and no alarm begins twice', async (t) => {
  const station = await prepareStation(t, [song])
  const [api] = await Promise.all([station.startApi(), station.startWorker()])
  const faulty = await startFaultyReplica(t, api.url)
  station.env.MONITOR_URLS = faulty.url
  const both = await Promise.all([station.startJobs(), station.startMonitor()])
  await until('one of them listens', () => both.some((one) => timesListening(one) > 0))
  let [first, second] = timesListening(both[0]) > 0 ? both : [both[1], both[0]]
  const data = await station.openData()
  t.teardown(() => data.close())
  const alarms = async () => (await data.alarms.find()).map(({ cause }) => cause)
  faulty.set('title')
  await until('the alarm begins', async () => (await alarms()).length > 0)
  t.same(both.map(timesListening).toSorted(), [0, 1])

  if (isLong) {
    first.child.kill('SIGSTOP')
    await until('the other one takes over', () => timesListening(second) === 1)
    first.child.kill('SIGCONT')
    await first.printed(/another holder has taken the lease/)
    ;[first, second] = [second, first]
  }
  const before = timesListening(second)
  await first.end('SIGKILL')
  await until('the other one takes over', () => timesListening(second) > before)
  faulty.set('other bytes')
  await until('it hears another fault', async () => (await alarms()).includes('other_bytes'))
  t.same(await alarms(), ['title', 'other_bytes'])
  const begun = async () =>
    (await data.audit.find()).filter(({ operationType }) => operationType === 'alarm_begin').length
  await until('both are in the audit log', async () => (await begun()) > 1)
  t.equal(await begun(), 2)
})
