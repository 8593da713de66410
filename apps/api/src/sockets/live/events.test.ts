import { advance, apply, type Command, initialState, learn, type PlayoutState } from '@solstice/playout'
import t from 'tap'
import { createLiveEvents } from './events.ts'

t.test('a host taken off the air is told by its own replica, even if another should have', async (t) => {
  const told: unknown[] = []
  const left = new Set<string>()
  const events = createLiveEvents({
    replica: 'here',
    hasLeft: (socketId) => left.has(socketId),
    emit: (rooms, event, payload) => {
      if (event.endsWith('_force_disconnect')) told.push([rooms, event, payload])
    },
  })
  const schedule = { natural: 'day' as const, changes: [] }
  const hosting = { isOn: true, slots: 4, guestRequestExpiryMs: 0, guestCooldownMs: 0 }
  const isOn = { type: 'hosting' as const, hosting: { ...hosting, guestMs: 60_000, specialGuestMs: 60_000 } }
  const station = learn(initialState(1, 'sound', schedule, 0), isOn, 0).state
  const speaker = (socketId: string, replica = 'here') => ({ socketId, replica, uid: socketId, address: 'x' })
  const goLive = (name: string, replica?: string): Command => {
    return { type: 'go-live', speaker: speaker(name, replica), adminId: name, login: name, takeOver: true }
  }
  const toGuest: Command[] = [
    { type: 'request-guest', speaker: speaker('gus'), nickname: 'gus' },
    { type: 'answer-guest', uid: 'gus', action: 'accept' },
    { type: 'connect-guest', socketId: 'gus' },
  ]
  /** The events after a replica missed all states between two moments. */
  const unheard = (before: Command[], meanwhile: Command[], atMs = 0) => {
    const follow = (state: PlayoutState, commands: Command[]) =>
      commands.reduce((at, command) => apply(at, command, 0).state, state)
    const state = follow(station, before)
    events.peopleChanged(state, 0)
    told.length = 0
    events.peopleChanged(advance(follow(state, meanwhile), atMs).state, atMs)
    return told.splice(0)
  }
  const gone: Command = { type: 'replica-gone', replica: 'here' }
  const leave: Command = { type: 'leave-live', socketId: 'ann' }
  const toHost = (reason: string) => [['ann'], 'host_force_disconnect', { reason }]
  const guestIs = (reason: string) => [['gus'], 'guest_force_disconnect', { reason }]

  t.same(unheard([goLive('ann'), ...toGuest], [gone]), [toHost('kick'), guestIs('no_hosts')])
  t.same(unheard([goLive('bob', 'there'), ...toGuest], [gone]), [guestIs('kick')])
  t.same(unheard([goLive('ann', 'there'), ...toGuest], [leave]), [guestIs('no_hosts')])
  t.same(unheard([goLive('ann', 'there'), ...toGuest], [{ type: 'ban-uid', uid: 'gus' }]), [guestIs('ban')])
  t.same(unheard([goLive('ann', 'there'), ...toGuest], [], 60_000), [guestIs('timeout')])
  const elsewhere: Command = {
    type: 'go-live',
    speaker: speaker('new'),
    adminId: 'ann',
    login: 'ann',
    takeOver: true,
  }
  t.same(unheard([goLive('ann')], [elsewhere]), [toHost('session_replaced')])
  const off = learn(
    apply(station, goLive('ann'), 0).state,
    { ...isOn, hosting: { ...isOn.hosting, isOn: false } },
    0,
  )
  t.same(off.state.live.ends, [{ socketId: 'ann', reason: 'kick' }])
  left.add('ann')
  t.same(unheard([goLive('ann')], [leave]), [], 'who goes by itself knows that')
})
