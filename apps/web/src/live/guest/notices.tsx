import { localizedText } from '../../ui/language/localized-text.ts'
import { useStore } from '../../ui/store.ts'
import { useGuest } from './guest-context.ts'
import type { GuestNotice } from './guest-session.ts'

/** Why the guest is off air, or was refused. */
export function NoticeText({ notice }: { notice: GuestNotice | null }) {
  const { locale, t } = useGuest()
  const text = notice && (notice.is === 'message' ? localizedText(notice.text, locale) : t.notices[notice.is])
  return (
    <p class="says" role="alert">
      {text}
    </p>
  )
}

export function MicrophoneTrouble() {
  const { microphone, t } = useGuest()
  const trouble = t.microphone[useStore(microphone.state)]
  return (
    <p class="trouble" role="alert">
      {trouble}
    </p>
  )
}
