@echo off
rem SPDX-License-Identifier: MIT
rem uninstall.cmd [/q]: takes away what install.cmd has copied. With /q it does not wait for a key.
setlocal
set release=
for /f "delims=" %%d in ('dir /b /ad "%~dp0plugins" 2^>nul') do set release=%%d
set "own=%APPDATA%\Wireshark"
if defined WIRESHARK_APPDATA set "own=%WIRESHARK_APPDATA%"
set result=0
set "plugin=%own%\plugins\%release%\epan\godot.dll"
if not exist "%plugin%" (
  echo The plugin is not there: "%plugin%"
  goto profile
)
del "%plugin%"
if exist "%plugin%" (
  echo Cannot delete "%plugin%". Is Wireshark running? Close it, and try again.
  set result=1
) else (
  echo Deleted the plugin: "%plugin%"
)
rem These go only where nothing else is in them.
rmdir "%own%\plugins\%release%\epan" 2>nul
rmdir "%own%\plugins\%release%" 2>nul
:profile
if exist "%own%\profiles\Godot" (
  rmdir /s /q "%own%\profiles\Godot"
  echo Deleted the profile: "%own%\profiles\Godot"
)
if /i not "%~1"=="/q" pause
exit /b %result%
