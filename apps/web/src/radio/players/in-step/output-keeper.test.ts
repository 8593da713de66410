import t, { type Test } from 'tap'
import { RATE } from './decoding/track-sound.ts'
import { createOutputKeeper } from './output-keeper.ts'

const STEP_MS = 250

/** An audio context that runs when the test says so. */
class HeldContext extends EventTarget {
  state = 'suspended'
  currentTime = 0
  readonly sampleRate = RATE
  readonly destination = {}
  readonly outputLatency = 0.05
  resumes = 0
  /** From a frame to its sound. */
  latencyMs = 0
  createGain() {
    return { gain: { value: 1, setTargetAtTime() {} }, connect() {}, disconnect() {} }
  }
  getOutputTimestamp() {
    return { contextTime: this.currentTime, performanceTime: performance.now() + this.latencyMs }
  }
  async resume() {
    this.resumes++
  }
  async suspend() {}
  async close() {
    this.state = 'closed'
  }
  turn(state: 'running' | 'suspended' | 'interrupted') {
    this.state = state
    this.dispatchEvent(new Event('statechange'))
  }
}

/** A keeper that was opened, on a clock of its own. */
function setUp(t: Test) {
  const opened: HeldContext[] = []
  let nowMs = 1000
  let lost = 0
  let unfit = 0
  class Context extends HeldContext {
    constructor() {
      super()
      opened.push(this)
    }
  }
  const { now } = performance
  performance.now = () => nowMs
  t.teardown(() => Object.assign(performance, { now }))
  Object.assign(globalThis, { AudioContext: Context, AudioBufferSourceNode: class {} })
  const devices = new EventTarget()
  const view = { mediaDevices: devices, userActivation: { isActive: false } }
  Object.defineProperty(globalThis, 'navigator', { value: view, configurable: true })
  const keeper = createOutputKeeper({ level: () => 1, onLost: () => lost++, onUnfit: () => unfit++ })
  t.teardown(keeper.close)
  keeper.open()
  return {
    keeper,
    opened,
    devices,
    press() {
      view.userActivation.isActive = true
      keeper.open()
      view.userActivation.isActive = false
    },
    nowMs: () => nowMs,
    lost: () => lost,
    unfit: () => unfit,
    /** Lets time pass, in which the newest context plays if it runs. */
    pass(ms: number, isMoving: boolean) {
      const context = opened.at(-1)!
      for (const endMs = nowMs + ms; nowMs < endMs; ) {
        nowMs += STEP_MS
        if (isMoving && context.state === 'running') context.currentTime += STEP_MS / 1000
        keeper.check()
      }
    },
  }
}

t.test('a context that stands still is replaced twice; then Web Audio is given up', async (t) => {
  const { keeper, opened, pass, lost, unfit } = setUp(t)
  opened[0]!.turn('running')
  pass(2000, true)
  t.ok(keeper.check())
  pass(3750, false)
  t.equal(opened.length, 1)
  pass(STEP_MS, false)
  t.equal(opened.length, 2)
  t.equal(opened[0]!.state, 'closed')
  t.equal(lost(), 1)
  pass(9750, false)
  t.equal(opened.length, 2, 'one that never ran may take longer')
  pass(STEP_MS, false)
  t.equal(opened.length, 3)
  t.equal(unfit(), 0)
  pass(10_000, false)
  t.equal(unfit(), 1)
  t.equal(keeper.check(), null)
})

t.test('what broke long ago no longer counts', async (t) => {
  const { keeper, opened, pass, unfit } = setUp(t)
  for (let replacements = 1; replacements <= 5; replacements++) {
    opened.at(-1)!.turn('running')
    pass(5 * 60_000, true)
    pass(4000, false)
    t.equal(opened.length, 1 + replacements)
  }
  t.equal(unfit(), 0)
  t.equal(keeper.check(), null)
})

t.test('a context that the system suspends is asked to go on, until it does', async (t) => {
  const { keeper, opened, pass, lost } = setUp(t)
  const context = opened[0]!
  context.turn('running')
  pass(2000, true)
  const asked = context.resumes
  context.turn('suspended')
  t.equal(lost(), 1, 'what was scheduled is not heard later')
  t.equal(context.resumes, asked + 1)
  pass(1000, true)
  t.ok(context.resumes > asked + 3, 'since systems don’t always tell that they allow it again')
  context.turn('running')
  t.ok(keeper.check())

  keeper.rest()
  const atRest = context.resumes
  context.turn('suspended')
  t.equal(context.resumes, atRest, 'unless the listener paused')
  t.equal(lost(), 1)
})

t.test('a context that the system interrupts is left alone for as long as that takes', async (t) => {
  const { keeper, opened, pass, lost, unfit } = setUp(t)
  const context = opened[0]!
  context.turn('running')
  pass(2000, true)
  const asked = context.resumes
  context.turn('interrupted')
  t.equal(lost(), 1, 'what was scheduled is not heard later')
  pass(10 * 60_000, false)
  t.equal(context.resumes, asked, 'one that is asked too early claims to run and doesn’t')
  context.turn('running')
  pass(STEP_MS, true)
  t.ok(keeper.check())
  t.equal(opened.length, 1)
  t.equal(unfit(), 0)
})

t.test('a press replaces a context whose interruption was never ended', async (t) => {
  const { keeper, opened, pass, press } = setUp(t)
  const context = opened[0]!
  context.turn('running')
  pass(2000, true)
  context.turn('interrupted')
  keeper.rest()
  keeper.open()
  t.equal(opened.length, 1, 'without a press a browser would not let another one begin')
  press()
  t.equal(context.state, 'closed')
  t.equal(opened.length, 2)
  opened[1]!.turn('running')
  pass(STEP_MS, true)
  t.ok(keeper.check())
})

t.test('after a change of devices the latency is read anew', async (t) => {
  const { keeper, opened, devices, pass, nowMs } = setUp(t)
  const context = opened[0]!
  context.turn('running')
  pass(30_000, true)
  const output = keeper.check()!
  const heardInMs = () =>
    output.heardMs(Math.round(context.currentTime * RATE))! - performance.timeOrigin - nowMs()
  t.ok(Math.abs(heardInMs()) < 1)
  context.latencyMs = 220
  devices.dispatchEvent(new Event('devicechange'))
  t.equal(output.heardMs(0), null, 'nothing is known of the new way')
  pass(STEP_MS, true)
  t.ok(Math.abs(heardInMs() - 220) < 1)
})

t.test('nothing that was read before a standstill counts after it', async (t) => {
  const { keeper, opened, pass, nowMs } = setUp(t)
  const context = opened[0]!
  context.turn('running')
  pass(5000, true)
  const output = keeper.check()!
  const now = () => Math.round(context.currentTime * RATE)
  t.ok(Math.abs(output.heardMs(now())! - performance.timeOrigin - nowMs()) < 1)
  context.turn('suspended')
  pass(3000, true)
  context.turn('running')
  pass(STEP_MS, true)
  t.equal(output.heardMs(now()), null)
  pass(2000, true)
  t.ok(Math.abs(output.heardMs(now())! - performance.timeOrigin - nowMs()) < 1)
})
