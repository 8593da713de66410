import { useEffect, useState } from 'preact/hooks'
import { type RemoteOffer, refusalOf, watchRemote } from './remote.ts'

declare global {
  interface Window {
    documentPictureInPicture?: { requestWindow(size: { width: number; height: number }): Promise<Window> }
  }
}

/** `hint`: on a computer one expects a small player, and this browser has none; phones have their lock screen instead. */
export function miniOffer(): 'player' | 'hint' | 'none' {
  if (window.documentPictureInPicture) return 'player'
  return matchMedia('(hover: hover) and (pointer: fine)').matches ? 'hint' : 'none'
}

/** Sends the element's sound to another device, or calls it back. */
interface RemoteControl {
  isElsewhere: boolean
  /** Call it from a press. Returns what went wrong, if that is to be told. */
  prompt: () => Promise<'none' | 'failed' | null>
}

/** Null where the browser can't send sound to another device, or there is none. */
export function useRemotePlayback(): RemoteControl | null {
  const [offer, setOffer] = useState<RemoteOffer>('none')
  useEffect(() => {
    const remote = remoteOf()
    return remote?.watchAvailability && watchRemote(remote, setOffer)
  }, [])
  if (offer === 'none') return null
  return {
    isElsewhere: offer === 'elsewhere',
    prompt: () =>
      remoteOf()!
        .prompt()
        .then(() => null, refusalOf),
  }
}

const remoteOf = () => document.querySelector('audio')?.remote
