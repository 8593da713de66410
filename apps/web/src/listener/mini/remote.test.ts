import t from 'tap'
import { type RemoteOffer, refusalOf, watchRemote } from './remote.ts'

/** The remote playback of an element; `refusal` is what it answers to those who want to watch. */
class FakeRemote extends EventTarget {
  state = 'disconnected'
  told: (isAvailable: boolean) => void = () => {}
  readonly cancelled: number[] = []
  private readonly refusal: string | null
  constructor(refusal: string | null = null) {
    super()
    this.refusal = refusal
  }
  async watchAvailability(told: (isAvailable: boolean) => void) {
    if (this.refusal) throw new DOMException('no', this.refusal)
    this.told = told
    return 7
  }
  async cancelWatchAvailability(id: number) {
    this.cancelled.push(id)
  }
  becomes(state: 'connecting' | 'connected' | 'disconnected') {
    this.state = state
    const names = { connecting: 'connecting', connected: 'connect', disconnected: 'disconnect' }
    this.dispatchEvent(new Event(names[state]))
  }
}

/** What was told of a remote playback. */
function watch(remote: FakeRemote) {
  const offers: RemoteOffer[] = []
  const end = watchRemote(remote as unknown as RemotePlayback, (offer) => offers.push(offer))
  return { offers, end }
}

const answered = () => new Promise(setImmediate)

t.test('another device is offered while there is one, and while it plays', async (t) => {
  const remote = new FakeRemote()
  const { offers, end } = watch(remote)
  remote.told(false)
  remote.told(true)
  remote.becomes('connecting')
  remote.becomes('connected')
  remote.told(false)
  remote.becomes('disconnected')
  t.same(offers, ['none', 'offered', 'elsewhere', 'elsewhere', 'none'])
  end()
  await answered()
  t.same(remote.cancelled, [7])
  remote.told(true)
  t.equal(offers.length, 5)
})

t.test(
  'where devices can’t be watched the prompt finds out; where it is forbidden nothing is offered',
  async (t) => {
    for (const [refusal, offered] of [
      ['NotSupportedError', ['offered']],
      ['InvalidStateError', []],
    ] as const) {
      const { offers, end } = watch(new FakeRemote(refusal))
      await answered()
      t.same(offers, offered)
      end()
      await answered()
    }
  },
)

t.test('a listener who closes the prompt is told nothing', async (t) => {
  const of = (name: string) => refusalOf(new DOMException('no', name))
  t.equal(of('NotAllowedError'), null)
  t.equal(of('OperationError'), null)
  t.equal(of('NotFoundError'), 'none')
  t.equal(of('NotSupportedError'), 'failed')
  t.equal(of('AbortError'), 'failed')
})
