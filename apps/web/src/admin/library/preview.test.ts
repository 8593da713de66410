import t from 'tap'
import { createPreview } from './preview.ts'

const track = (id: string) => ({ id, title: id, artist: 'Hilda', duration: 180 })

/** As much of the browser's player as a preview needs, which is always ready to play. */
class Player extends EventTarget {
  src = ''
  paused = true
  currentTime = 0
  duration = Number.NaN
  async play() {
    this.paused = false
    this.dispatchEvent(new Event('playing'))
  }
  pause() {
    this.paused = true
    this.dispatchEvent(new Event('pause'))
  }
  removeAttribute() {
    this.src = ''
  }
  load() {}
}

function open() {
  const player = new Player()
  return { player, preview: createPreview(player as unknown as HTMLAudioElement) }
}

t.test('the same track pauses and goes on, another one begins', async (t) => {
  const { player, preview } = open()
  preview.toggle(track('day/a b.mp3'))
  t.match(preview.state.value, { is: 'playing', positionS: 0, durationS: 180 })
  t.match(player.src, 'track=day%2Fa+b.mp3')
  preview.toggle(track('day/a b.mp3'))
  t.match(preview.state.value, { is: 'paused' })
  preview.toggle(track('day/a b.mp3'))
  t.match(preview.state.value, { is: 'playing' })
  preview.toggle(track('night/c.mp3'))
  t.match(preview.state.value, { is: 'playing', track: { id: 'night/c.mp3' } })
})

t.test('the length that the file has counts, and a position can be chosen', async (t) => {
  const { player, preview } = open()
  preview.toggle(track('day/a.mp3'))
  player.duration = 171.5
  preview.seek(60)
  t.match(preview.state.value, { positionS: 60, durationS: 171.5 })
})

t.test('a file that cannot be played says so, and may be tried again', async (t) => {
  const { player, preview } = open()
  preview.toggle(track('day/a.mp3'))
  player.dispatchEvent(new Event('error'))
  t.match(preview.state.value, { is: 'failed' })
  preview.toggle(track('day/a.mp3'))
  t.match(preview.state.value, { is: 'playing' })
})

t.test('a closed preview stays closed, whatever the player still tells', async (t) => {
  const { player, preview } = open()
  preview.toggle(track('day/a.mp3'))
  preview.close()
  player.dispatchEvent(new Event('error'))
  t.same(preview.state.value, { is: 'off' })
  t.equal(player.src, '')
})
