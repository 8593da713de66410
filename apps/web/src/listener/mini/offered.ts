import { useEffect, useState } from 'preact/hooks'

declare global {
  interface Window {
    documentPictureInPicture?: { requestWindow(size: { width: number; height: number }): Promise<Window> }
  }
}

/** True where the browser opens windows that stay above others. */
export const canOpenMini = (): boolean => globalThis.window?.documentPictureInPicture !== undefined

/** The element's sound may go to another device nearby; null where there is none, or the browser can't. */
export function useRemotePlayback(): (() => void) | null {
  const [remote, setRemote] = useState<RemotePlayback | null>(null)
  useEffect(() => {
    const { remote } = document.querySelector('audio') ?? {}
    if (!remote?.watchAvailability) return
    let watch: number | undefined
    let isOver = false
    const told = (isAvailable: boolean) => setRemote(isAvailable ? remote : null)
    remote.watchAvailability(told).then(
      (id) => {
        if (isOver) void remote.cancelWatchAvailability(id)
        else watch = id
      },
      // Refused, such as on devices with little memory.
      () => {},
    )
    return () => {
      isOver = true
      if (watch !== undefined) remote.cancelWatchAvailability(watch).catch(() => {})
    }
  }, [])
  return remote && (() => void remote.prompt().catch(() => {}))
}
