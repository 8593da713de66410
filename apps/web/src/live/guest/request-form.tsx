import '../form.css'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useState } from 'preact/hooks'
import { formatDuration } from '../../listener/format.ts'
import { readStored, writeStored } from '../../ui/browser-storage.ts'
import { useStore } from '../../ui/store.ts'
import { useNow } from '../../ui/use-now.ts'
import { useGuest } from './guest-context.ts'
import type { GuestNotice, GuestStatus } from './guest-session.ts'
import { MicrophoneTrouble, NoticeText } from './notices.tsx'

const NICKNAME = 'radio_nickname'
const MAX_NICKNAME_LENGTH = 32
const MAX_CODE_LENGTH = 40
const HOSTS_ID = 'guest-hosts'

interface Props {
  status: Extract<GuestStatus, { is: 'outside' }>
  title: ComponentChildren
}

/** Asks to speak, with or without an access code. */
export function RequestForm({ status, title }: Props) {
  const { connection, guest, microphone, t } = useGuest()
  const isHostOnline = useStore(connection.isHostOnline)
  const microphoneState = useStore(microphone.state)
  const [nickname, setNickname] = useState(readStored(NICKNAME) ?? '')
  const [code, setCode] = useState(codeInAddress)
  const [hasCode, setHasCode] = useState(code !== '')
  const waitS = useCooldown(status.notice)
  const isTooEarly = !hasCode && waitS > 0
  const hasNobody = !hasCode && !isHostOnline
  const isClosed = status.isBusy || microphoneState === 'unsupported' || isTooEarly || hasNobody

  useEffect(() => {
    if (status.notice?.is === 'special_guest_active') setHasCode(true)
  }, [status.notice])

  const submit = async (event: Event) => {
    event.preventDefault()
    if (isClosed) return
    writeStored(NICKNAME, nickname.trim())
    // Opened now, so that the browser's question doesn't come while the hosts wait.
    if (!(await microphone.open())) return
    if (hasCode) await guest.enter(code.trim(), nickname)
    else await guest.request(nickname)
  }
  return (
    <>
      {isHostOnline && (
        <p class="kicker">
          <em class="on-air">{t.hostsOnline}</em>
        </p>
      )}
      {title}
      <p class="byline" id={HOSTS_ID} role="status">
        {isHostOnline ? t.intro : t.nobody}
      </p>
      <NoticeText notice={status.notice} />
      <MicrophoneTrouble />
      <form class="form" onSubmit={submit}>
        <NicknameField nickname={nickname} onNickname={setNickname} />
        {hasCode && <CodeField code={code} onCode={setCode} />}
        <button
          type="submit"
          class="button primary"
          aria-disabled={isClosed}
          aria-describedby={hasNobody ? HOSTS_ID : undefined}
        >
          {hasCode ? t.enter : isTooEarly ? t.askIn(formatDuration(waitS)) : t.ask}
        </button>
        <button type="button" class="text-button" onClick={() => setHasCode(!hasCode)}>
          {hasCode ? t.noCode : t.haveCode}
        </button>
      </form>
    </>
  )
}

function NicknameField(props: { nickname: string; onNickname: (nickname: string) => void }) {
  const { t } = useGuest()
  const id = useId()
  return (
    <>
      <label for={id}>{t.nickname}</label>
      <input
        id={id}
        value={props.nickname}
        maxLength={MAX_NICKNAME_LENGTH}
        autocomplete="nickname"
        required
        onInput={(event) => props.onNickname(event.currentTarget.value)}
      />
    </>
  )
}

function CodeField({ code, onCode }: { code: string; onCode: (code: string) => void }) {
  const { t } = useGuest()
  const id = useId()
  return (
    <>
      <label for={id}>{t.code}</label>
      <input
        id={id}
        value={code}
        maxLength={MAX_CODE_LENGTH}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        required
        onInput={(event) => onCode(event.currentTarget.value)}
      />
    </>
  )
}

/** The code of an invitation link, `#code=…`. A fragment is sent to no server before the guest submits it. */
const codeInAddress = () =>
  new URLSearchParams(location.hash.slice(1)).get('code')?.slice(0, MAX_CODE_LENGTH) ?? ''

/** Whole seconds until the guest may ask again. */
function useCooldown(notice: GuestNotice | null): number {
  const isWaiting = notice?.is === 'cooldown'
  const nowMs = useNow(isWaiting ? 500 : null)
  return isWaiting ? Math.max(0, Math.ceil((notice.untilMs - nowMs) / 1000)) : 0
}
