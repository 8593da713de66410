import { codecs, type Mount, mountId } from '@solstice/station'
import type { Setting } from './setting.ts'

const MAX_MOUNTS = 6
/** kbit/s */
const BITRATES: Record<Mount['codec'], readonly number[]> = {
  mp3: [64, 96, 128, 160, 192, 256, 320],
  aac: [32, 48, 64, 96, 128, 160, 192, 256],
  opus: [32, 48, 64, 96, 128, 160, 192, 256],
}

/** Mounts such as `mp3:192`, separated by commas; a list with a mistake counts as empty. */
export function mounts(effect: string): Setting<readonly Mount[]> {
  const bitrates = Object.entries(BITRATES).map(([codec, kbits]) => `\`${codec}:\` ${kbits.join(' ')}`)
  return {
    fallback: [],
    example: '',
    values: `up to ${MAX_MOUNTS} of ${bitrates.join(', ')}, separated by commas, an MP3 first`,
    effect,
    parse(given) {
      const value: Mount[] = []
      for (const word of given.split(',').map((each) => each.trim().toLowerCase())) {
        const mount = mountIn(word)
        if (!mount) return refusal(`"${word}" is not a mount such as mp3:192, aac:64 or opus:96`)
        if (value.some((other) => mountId(other) === mountId(mount))) return refusal(`${word} is named twice`)
        value.push(mount)
      }
      if (value[0]!.codec !== 'mp3') return refusal('the first mount must be in MP3')
      if (value.length > MAX_MOUNTS) return refusal(`there are more than ${MAX_MOUNTS} mounts`)
      return { value }
    },
  }
}

function mountIn(word: string): Mount | null {
  const [, codec, kbits] = /^(\w+):(\d{2,3})$/.exec(word) ?? []
  if (!codec || !(codec in codecs)) return null
  const mount = { codec: codec as Mount['codec'], bitrate: Number(kbits) }
  return BITRATES[mount.codec].includes(mount.bitrate) ? mount : null
}

function refusal(why: string) {
  return { value: [], warning: `${why}; using one MP3 at STREAM_BITRATE` }
}
