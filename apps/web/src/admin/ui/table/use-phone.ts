import { useEffect, useState } from 'preact/hooks'

const NARROW = '(max-width: 43.75em)'

/** True where the page is as narrow as a phone. */
export function usePhone(): boolean {
  const [isPhone, setPhone] = useState(() => matchMedia(NARROW).matches)
  useEffect(() => {
    const media = matchMedia(NARROW)
    const changed = () => setPhone(media.matches)
    media.addEventListener('change', changed)
    return () => media.removeEventListener('change', changed)
  }, [])
  return isPhone
}
