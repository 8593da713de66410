import { useState } from 'preact/hooks'
import { closeSheet } from '../../../ui/sheet/sheet.tsx'
import { useCommand } from '../../data/commands.ts'
import { usePaletteItems } from '../../data/palette.ts'
import { useAdmin, useAir, useDenial, useStation, useTexts } from '../../data/panel.ts'
import { Field } from '../../ui/fields/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Dialog } from '../../ui/layers/dialog.tsx'
import { zoneTime } from '../time.ts'

/** The mode on air, and the switch to the other one with what is planned already. */
export function ModeButton() {
  const air = useAir()
  const { verdict, config } = useAdmin()
  const t = useTexts()
  const [isOpen, setOpen] = useState(false)
  const right = verdict({ allOf: ['mode_switch'] })
  const denialOf = useDenial()
  const isAllowed = config.nightMode && right.is === 'open'
  const mode = air?.mode ?? 'day'
  const pending = air?.pendingModeSwitch
  const other = mode === 'day' ? 'night' : 'day'
  usePaletteItems(
    isAllowed
      ? [
          {
            id: 'mode',
            title: t.switchTo[other],
            about: t.paletteDo,
            words: t.switchMode,
            run: () => setOpen(true),
          },
        ]
      : [],
  )
  if (!air) return null
  const name = (
    <>
      <Icon name={mode === 'night' ? 'moon' : 'sun'} size={20} />
      <span class="strip-mode-name">{t[mode]}</span>
      {pending && <span class="strip-pending">{pendingText(pending, config.timeZone, t)}</span>}
    </>
  )
  if (!config.nightMode) return <p class="strip-mode">{name}</p>
  if (right.is === 'denied')
    return (
      <button type="button" class="strip-mode" aria-disabled="true" title={denialOf(right)}>
        {name}
        <span class="unseen">. {denialOf(right)}</span>
      </button>
    )
  return (
    <>
      <button type="button" class="strip-mode" title={t.switchMode} onClick={() => setOpen(true)}>
        {name}
        <span class="unseen">. {t.switchMode}</span>
      </button>
      {isOpen && <ModeDialog target={other} isPlanned={Boolean(pending)} onClose={() => setOpen(false)} />}
    </>
  )
}

function pendingText(
  { targetMode, executeAtMs }: { targetMode: 'day' | 'night'; executeAtMs: number | null },
  timeZone: string,
  t: ReturnType<typeof useTexts>,
): string {
  const name = t.pending[targetMode]
  return executeAtMs ? t.pendingAt(name, zoneTime(executeAtMs, timeZone).slice(0, 5)) : t.pendingSoon(name)
}

function ModeDialog(props: { target: 'day' | 'night'; isPlanned: boolean; onClose: () => void }) {
  const { target, isPlanned, onClose } = props
  const t = useTexts()
  const station = useStation()
  const { config } = useAdmin()
  const now = zoneTime(station.stationNowMs(), config.timeZone).slice(0, 5)
  const paid = useAir()?.playlist.filter(({ orderType }) => orderType === 'donated').length ?? 0
  const [isLater, setLater] = useState(false)
  const [time, setTime] = useState(now)
  const { run } = useCommand('POST /api/admin/switch-mode', {
    success: isLater ? t.switchPlanned(time) : t.switched,
  })
  const { run: keep } = useCommand('DELETE /api/admin/switch-mode', { success: t.modeKept })
  const answer = () => void run({ body: { targetMode: target, ...(isLater && { scheduledTime: time }) } })
  return (
    <Dialog
      title={t.switchTo[target]}
      yes={t.switchTo[target]}
      isYesDisabled={paid > 0 || (isLater && !/^\d\d:\d\d$/.test(time))}
      onYes={answer}
      onClose={onClose}
    >
      {isPlanned && (
        <button
          type="button"
          class="button"
          onClick={(event) => {
            void keep()
            closeSheet(event)
          }}
        >
          {t.keepMode}
        </button>
      )}
      {paid > 0 && <p class="refusal">{t.switchPaid(paid)}</p>}
      <fieldset class="choices">
        <legend class="unseen">{t.switchMode}</legend>
        <label>
          <input type="radio" name="when" checked={!isLater} onChange={() => setLater(false)} />
          {t.switchNow}
        </label>
        <label>
          <input type="radio" name="when" checked={isLater} onChange={() => setLater(true)} />
          {t.switchAt}
        </label>
      </fieldset>
      {isLater ? (
        <Field
          type="time"
          label={t.switchTime(config.timeZone)}
          hint={time < now ? t.switchTomorrow : ''}
          value={time}
          onValue={setTime}
        />
      ) : (
        <p class="hint">{t.switchHint}</p>
      )}
    </Dialog>
  )
}
