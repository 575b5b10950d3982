"""The rules of Yodd, Xodd, Odd and Ayu in plain Python: the truth that all else answers to."""
