import type { IconName } from '../../ui/icons.tsx'
import { pathOf } from '../../ui/language/language.ts'
import { share } from '../../ui/share.ts'
import { useStore } from '../../ui/store.ts'
import { miniOffer, useRemotePlayback } from '../mini/offered.ts'
import { useRadio } from '../radio-context.ts'
import type { SheetName } from '../sheets/sheets.tsx'

export interface MenuItem {
  icon: IconName
  label: string
  onPress: () => void
}

/** What a listener can do beyond listening, as far as this browser can. */
export function useMenuItems(
  stationName: string,
  show: (sheet: SheetName) => void,
  say: (text: string) => void,
): MenuItem[] {
  const { radio, locale, t } = useRadio()
  const remote = useRemotePlayback()
  const isOff = useStore(radio.sound).is === 'off'
  const mini = import.meta.env.SSR ? 'none' : miniOffer()
  const openMini = () =>
    mini === 'hint'
      ? say(t.extras.noMini)
      : void import('../mini/mini-player.tsx').then(({ openMiniPlayer }) =>
          openMiniPlayer({ radio, locale, t }),
        )
  const shareStation = async () => {
    const { href } = new URL(pathOf({ page: 'player', locale }), location.href)
    const outcome = await share(stationName, href)
    if (outcome !== 'shared') say(outcome === 'copied' ? t.copied : `${t.notCopied} ${href}`)
  }
  const cast = async () => {
    const refusal = await remote!.prompt()
    if (refusal) say(t.cast[refusal])
  }
  const items: (MenuItem | false | null)[] = [
    {
      icon: 'history',
      label: t.extras.history,
      onPress: () => show({ is: 'history', date: null, time: null }),
    },
    { icon: 'support', label: t.extras.kept, onPress: () => show({ is: 'kept' }) },
    { icon: 'sleep', label: t.extras.sleep, onPress: () => show({ is: 'sleep' }) },
    mini !== 'none' && { icon: 'mini', label: t.extras.mini, onPress: openMini },
    remote && !isOff && { icon: 'cast', label: t.cast[remote.isElsewhere ? 'on' : 'off'], onPress: cast },
    { icon: 'share', label: t.extras.share, onPress: shareStation },
    { icon: 'preferences', label: t.preferences, onPress: () => show({ is: 'preferences' }) },
  ]
  return items.filter((item) => item !== false && item !== null)
}
