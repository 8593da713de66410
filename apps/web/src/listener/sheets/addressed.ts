import { useEffect } from 'preact/hooks'
import { parsePath, pathOf } from '../../ui/language/language.ts'
import type { SheetName } from './sheets.tsx'

/** How a home screen's shortcut asks for the library. */
const REQUEST = '#request'

/** Opens what the address names, and follows the browser's way back and forth. */
export function useAddressedSheet(show: (sheet: SheetName) => void): void {
  useEffect(() => {
    const open = () => {
      const place = parsePath(location.pathname)?.place
      if (place) show(place)
      if (location.hash !== REQUEST) return
      history.replaceState(history.state, '', location.pathname + location.search)
      show({ is: 'request' })
    }
    open()
    addEventListener('popstate', open)
    return () => removeEventListener('popstate', open)
  }, [])
}

/** Takes the track or the day out of the address, once its sheet is closed. */
export function leavePlace(): void {
  const here = parsePath(location.pathname)
  if (here?.place) history.replaceState(null, '', pathOf({ page: 'player', locale: here.locale }))
}
