import { isAppleTouchDevice } from '../../ui/apple-device.ts'
import { useStore } from '../../ui/store.ts'
import { install } from '../install/offer.ts'
import { installation } from '../install/offer-of-browser.ts'
import { useSheetTexts } from '../sheets/texts.ts'
import { PreferenceSection } from './choice.tsx'

/** How the station becomes an app of this device, where it can and isn't one yet. */
export function InstallSection() {
  const p = useSheetTexts().preferences.install
  const isOffered = useStore(installation) !== null
  if (!isOffered && !isAddedByHand()) return null
  return (
    <PreferenceSection title={p.title}>
      {isOffered ? (
        <button type="button" class="button" onClick={install}>
          {p.action}
        </button>
      ) : (
        <p class="nothing">{p.byHand}</p>
      )}
    </PreferenceSection>
  )
}

/** iPhones and iPads never offer it by themselves. */
function isAddedByHand(): boolean {
  const { standalone } = navigator as Navigator & { standalone?: boolean }
  return isAppleTouchDevice() && standalone === false
}
